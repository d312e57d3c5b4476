-- What texts cost their account where the operator sells them: held for a single copy until it is answered, and
-- what was charged for a text that a provider took, once.
alter table single_sends add column held_micros bigint;
alter table sms_results add column charged_micros bigint;
