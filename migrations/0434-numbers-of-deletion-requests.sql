-- Requests to delete subscribers had a digest without a key, from which an address in the selection
-- could be guessed, and a number that is a part of it. A request that is open ends as outdated: its
-- digest no longer matches. An approval in force is cleared when its deletion ends.
update approvals set digest = '', subject = id
  where kind = 'subscribers_delete' and not is_in_force;
update audit set after = after - 'subject'
  where action in ('approvals.approve', 'approvals.requestApproval')
    and after->>'kind' = 'subscribers_delete';
