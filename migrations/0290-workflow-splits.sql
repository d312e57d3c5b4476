-- Splits of workflows whose winning path takes over. Counting restarts when shares, the metric or the
-- content of a path change, and ends with a winner.
create table workflow_splits (
  account_id bigint not null,
  workflow_id bigint not null,
  step_id bigint not null,
  -- a hash of what is compared
  compared_key text not null,
  counted_from timestamptz not null,
  -- null: a path has won
  evaluate_at timestamptz,
  evaluated_at timestamptz,
  -- subscribers and those who acted, by path, at the last evaluation
  counts jsonb not null default '[]',
  winner text,
  decided_at timestamptz,
  primary key (account_id, step_id),
  foreign key (account_id, workflow_id) references workflows (account_id, id) on delete cascade
);
create index workflow_splits_of_workflow on workflow_splits (account_id, workflow_id);
create index workflow_splits_due on workflow_splits (evaluate_at) where evaluate_at is not null;
select sendloom_distribute('workflow_splits');
