-- Answers that users write to replies of subscribers.
alter table messages drop constraint messages_kind_check;
alter table messages add constraint messages_kind_check
  check (kind in ('campaign', 'test', 'letter', 'workflow', 'transactional', 'confirmation', 'sms_campaign',
    'sms_test', 'sms_reply', 'sms_code', 'sms_workflow', 'sms_transactional', 'sms_confirmation',
    'sms_answer'));
