// Stages of a process, shared by the event-loop watchdog and its thread.
export const STARTING = 0;
export const READY = 1;
export const EXITING = 2;
