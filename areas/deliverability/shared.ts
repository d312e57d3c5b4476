// Values shared by server and web.

export const MAX_SOURCE = 600;
export const MAX_TITLE = 100;
/** Megabytes of an uploaded file. */
export const MAX_UPLOAD_MEGABYTES = 10;
export const PERIODS = [7, 30, 90] as const;
