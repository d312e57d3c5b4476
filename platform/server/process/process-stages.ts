// The stages of a process that the event-loop watchdog and its thread share.
export const STARTING = 0;
export const READY = 1;
export const EXITING = 2;
