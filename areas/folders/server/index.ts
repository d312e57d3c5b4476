// Public interface of folders: folders, labels, archive, bulk actions and comments of campaigns, SMS
// campaigns, workflows and forms, and comments of templates. Their areas provide the calls about
// items.
import { type Area, on } from '#platform/server/area.ts';
import { addressesErased, eraseFromTexts } from '#platform/server/erasure/erasure.ts';
import { rewriteComments } from './comments.ts';
import { folderRoutes } from './folders.ts';
import { rewriteFolders, rewriteLabels } from './folders.sql.ts';

export const area: Area = {
  name: 'folders',
  description: 'Folders and labels of campaigns, SMS campaigns, workflows and forms.',
  routes: folderRoutes,
  eventHandlers: [
    on(addressesErased, eraseFromTexts(rewriteFolders, rewriteLabels, rewriteComments)),
  ],
};

export { type CommentOwner, commentRoutes } from './comments.ts';
export { commentAdded } from './events.ts';
export { type ItemOwner, itemRoutes, readPlaceFilter, attachPlaces } from './items.ts';
export { deleteComments, deleteItem, placeConditions, type PlaceFilter } from './items.sql.ts';
