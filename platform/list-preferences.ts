// List preferences that are stored in the browser and change the first call: the page size and
// additional statistics columns.

/** Cookie at the list's path that holds the preferences as a query: `limit=25&engagement=true`. */
export const LIST_PREFERENCES = 'list_preferences';
