/**
 * Thrown by a job that saved its position because its process is stopping; it resumes in another
 * process.
 */
export class JobInterrupted extends Error {}
