/** Thrown by a job that saved its position because the process stops: it resumes elsewhere. */
export class JobInterrupted extends Error {}
