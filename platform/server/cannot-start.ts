// A reason not to start that its reader can mend: printed as one sentence, exit code 1.
export class CannotStart extends Error {}
