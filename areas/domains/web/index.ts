// Exports of the domains area for the screens of other areas.
export { default as AddDomainDialog } from './add-domain-dialog.tsx';
