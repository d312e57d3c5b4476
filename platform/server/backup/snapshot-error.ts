// The reason why a backup cannot be restored, in one sentence.
export class SnapshotError extends Error {}
