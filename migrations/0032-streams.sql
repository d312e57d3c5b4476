-- Messages whose recipients come in sets over time: a workflow's step grows by whoever comes to it. The key is
-- made of the content, the pass and the month, so that one that is whole comes to its end.
alter table messages add column stream_key bytea;
alter table messages add constraint messages_stream unique (account_id, kind, stream_key);
