-- A receipt by SMPP names its text by the centre's own id alone: no account, no token of ours.
create index sms_results_smpp on sms_results (remote_id) where remote_id like 'smpp:%';
