// The door of sending domains' web half.
export { AddDomainDialog, type AddDomainDialogProps } from './add-domain-dialog.tsx';
