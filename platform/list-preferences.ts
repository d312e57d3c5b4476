// Preferences of a list that are stored in the browser and change its first call: the page size,
// and additional columns of figures.

/** Cookie at the list's path that holds the preferences as a query: `limit=25&engagement=true`. */
export const LIST_PREFERENCES = 'list_preferences';
