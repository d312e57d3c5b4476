-- Without texts of its own, an account's SMS have the defaults of its language.
alter table sms_settings alter column opt_out_text drop not null;
alter table sms_settings alter column link_text drop not null;
update sms_settings set opt_out_text = null where opt_out_text = 'Reply STOP to opt out';
update sms_settings set link_text = null where link_text = 'Opt out: {{unsubscribe_link}}';
