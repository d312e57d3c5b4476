-- The language model that an account uses for suggestions; without a row, none.
create table models (
  account_id bigint primary key references accounts (id) on delete cascade,
  protocol text not null check (protocol in ('anthropic', 'openai')),
  address text not null,
  model text not null,
  -- sealed; null: the server needs none
  key bytea,
  -- null: no bound
  monthly_tokens bigint,
  modified_at timestamptz not null
);
select sendloom_distribute('models');

-- Tokens per month in UTC; never texts.
create table model_use (
  account_id bigint not null references accounts (id) on delete cascade,
  month date not null,
  requests integer not null default 0,
  tokens_in bigint not null default 0,
  tokens_out bigint not null default 0,
  primary key (account_id, month)
);
select sendloom_distribute('model_use');
