// Preferences of a list that the browser stores and that affect the first request for the list: the
// page size and additional statistics columns.

/** Cookie at the list's path that holds the preferences as a query: `limit=25&engagement=true`. */
export const LIST_PREFERENCES = 'list_preferences';
