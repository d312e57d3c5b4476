-- People who wait for a date field follow its changes: they come to the step again at its end, and when they change.
insert into workflow_listeners (account_id, kind, ref, workflow_id)
select distinct s.account_id, 'TOUCH', 0, s.workflow_id
from workflow_steps s join workflows w on w.account_id = s.account_id and w.id = s.workflow_id
where w.status = 'ACTIVE' and s.type = 'delay' and s.removed_at is null and s.data ->> 'delay_type' = 'FIELD'
on conflict do nothing;
update workflow_runs r set is_begun = false
from workflow_steps s
where s.account_id = r.account_id and s.id = r.step_id and s.type = 'delay' and s.removed_at is null
  and s.data ->> 'delay_type' = 'FIELD' and r.is_begun and r.wake_at is not null and r.ended_at is null;
