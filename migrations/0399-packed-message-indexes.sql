-- Apart from the columns: their lock stops every statement on messages.
create index messages_packed on messages (account_id, packed_to) where packed_to is not null;
create index messages_to_trim on messages (account_id, id)
  where (compacted_at is not null) and (trimmed_at is null) and (channel = 'email');
