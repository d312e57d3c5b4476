// Web interface of sending domains: the dialog that adds one.
export { default as AddDomainDialog } from './add-domain-dialog.tsx';
