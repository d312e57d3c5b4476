// Preferences of a list that are stored in the browser and change its first call: the page size,
// and columns with figures of their own.

/** Cookie at the list's path with them as a query: `limit=25&engagement=true`. */
export const LIST_PREFERENCES = 'list_preferences';
