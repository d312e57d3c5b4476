// The dialog for the account's postal address, which is shown if the address is missing, because
// marketing email legally requires one.
import { Suspense } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { LoadingState } from '#platform/web/ui/states.tsx';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';

const AddressForm = lazyWithRetry(() => import('./postal-address-form.tsx'));

export interface PostalAddressDialogProps {
  isOpen: boolean;
  close: () => void;
  onSaved: () => void;
}

export function PostalAddressDialog({ isOpen, close, onSaved }: PostalAddressDialogProps) {
  const t = useTexts('campaigns');
  return (
    <Dialog opened={isOpen} onClose={close} title={t('address.title')}>
      {isOpen && (
        <Suspense fallback={<LoadingState rows={5} />}>
          <AddressForm close={close} onSaved={onSaved} />
        </Suspense>
      )}
    </Dialog>
  );
}
