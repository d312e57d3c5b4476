-- Registered clients that users connected had no expiry, also after their last connection ended. Each
-- use of a connection extends it now.
update oauth_state set expires_at = now() + interval '90 days'
  where kind = 'Client' and expires_at is null;
