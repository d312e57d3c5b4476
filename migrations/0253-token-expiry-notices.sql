-- When the owner was notified that the token expires soon; null until then.
alter table api_tokens add column expiry_notice_at timestamptz;
