-- What stood in the way when a host of links was last asked whether it leads here; null once it does.
alter table tracking_hosts add column fault text;
