// What a backup that cannot be restored says, in one sentence.
export class SnapshotError extends Error {}
