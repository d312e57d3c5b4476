-- The autopilot restricts email to engaged subscribers where opens are below expectation.
alter table pilots
  add column is_engaged_only boolean not null default false,
  -- start of the newest campaign with a shortfall of opens that led to a move
  add column opens_at timestamptz,
  -- campaigns that have waited for days, which the owner was notified of
  add column reported_campaigns bigint[] not null default '{}';

alter table pilot_moves drop constraint pilot_moves_move_check;
alter table pilot_moves add constraint pilot_moves_move_check
  check (move in ('begin', 'slow', 'pause', 'narrow', 'raise', 'resume', 'end', 'widen'));
alter table pilot_moves drop constraint pilot_moves_cause_check;
alter table pilot_moves add constraint pilot_moves_cause_check
  check (cause in ('new', 'deferrals', 'refusals', 'complaints', 'opens', 'clean', 'off'));

-- when a move took effect; null for suggestions
alter table pilot_moves add column applied_at timestamptz;
update pilot_moves set applied_at = coalesce(decided_at, at) where state = 'done';
