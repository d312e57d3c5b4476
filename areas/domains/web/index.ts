// What other areas of the web app use of sending domains.
export { default as AddDomainDialog } from './add-domain-dialog.tsx';
