// Exports of the folders area for the lists and pages of items.
export { ItemComments, ItemNotes } from './late-notes.ts';
export { useOpenComments } from './open-comments.ts';
export { placeParameters, toPlaceQuery } from './placement-parameters.ts';
export { PlaceTags } from './tags.tsx';
export { useItemList } from './use-item-list.tsx';
