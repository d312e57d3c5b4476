-- contract: earlier versions read recipients only from rows, which packing deletes
alter table messages drop constraint messages_not_packed;
