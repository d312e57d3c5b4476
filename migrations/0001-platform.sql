-- The functions that spread tables over a cluster, and the tables of one node.

-- Distributes a table by its account where the Citus extension exists, does nothing elsewhere.
create function sendloom_distribute(table_name text, distribution_column text default 'account_id')
returns void language plpgsql as $$
begin
  if exists (select 1 from pg_extension where extname = 'citus') then
    if distribution_column = 'id' then
      execute format('select create_distributed_table(%L, %L)', table_name, distribution_column);
    else
      execute format('select create_distributed_table(%L, %L, colocate_with => %L)',
        table_name, distribution_column, 'accounts');
    end if;
  end if;
end $$;

-- Copies a small, rarely written table to every node where the Citus extension exists.
create function sendloom_reference(table_name text)
returns void language plpgsql as $$
begin
  if exists (select 1 from pg_extension where extname = 'citus') then
    execute format('select create_reference_table(%L)', table_name);
  end if;
end $$;

-- Local: switches of this instance (sending_paused after a restore, the restore's time).
create table instance_settings (
  key text collate "C" primary key,
  value jsonb not null,
  modified_at timestamptz not null
);

-- Local: heartbeats of processes; processes without one lose their jobs and leases.
create table processes (
  id text collate "C" primary key,
  role text not null,
  -- the job queue's names for this process's workers
  workers text[] not null default '{}',
  started_at timestamptz not null,
  seen_at timestamptz not null,
  -- host, versions, memory, pauses, errors and relays, as reported with each heartbeat
  facts jsonb not null default '{}'
);

-- Local to the coordinator: token buckets, drawn in slices by each web process.
create unlogged table rate_buckets (
  key text collate "C" primary key,
  tokens double precision not null,
  refilled_at timestamptz not null
);
