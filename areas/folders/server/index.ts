// Public interface of folders: folders, labels, archive, bulk actions and comments of campaigns, SMS
// campaigns, workflows and forms. Their areas provide the calls about items.
import type { Area } from '#platform/server/area.ts';
import { folderRoutes } from './folders.ts';

export const area: Area = {
  name: 'folders',
  description: 'Folders and labels for campaigns, templates and other items.',
  routes: folderRoutes,
};

export { type CommentOwner, commentRoutes, rewriteComments } from './comments.ts';
export { rewriteFolders, rewriteLabels } from './folders.sql.ts';
export { commentAdded } from './events.ts';
export { type ItemOwner, itemRoutes, readPlaceFilter, attachPlaces } from './items.ts';
export { deleteComments, deleteItem, placeConditions, type PlaceFilter } from './items.sql.ts';
