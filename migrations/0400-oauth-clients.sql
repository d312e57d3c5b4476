-- Registered clients that users connected had no expiry, also after their last connection ended. Each
-- use of a connection extends it now.
update oauth_state set expires_at = '2027-02-27T00:00:00Z'
  where kind = 'Client' and expires_at is null;
