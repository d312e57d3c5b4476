// A startup error the operator can fix: printed as one sentence, exit code 1.
export class CannotStart extends Error {}
