// Adds a sending domain in two views: the user types the domain, which is checked during typing,
// and then an address at the domain.
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { notice } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useSession } from '#platform/web/session/session.ts';
import { useUnsaved } from '#platform/web/session/use-unsaved.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { Domain } from '../contract.ts';
import { useOpened } from '#platform/web/hooks/use-opened.ts';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';
import { proposeDomain, readLocalPart, readDomain } from './add-domain.ts';
import { AddressView } from './address-view.tsx';
import { formatEmail } from './domain-state.tsx';
import { DomainView } from './domain-view.tsx';
import { api, LIST_PATH } from './queries.ts';

interface AddDomainDialogProps {
  isOpen: boolean;
  close: () => void;
  onAdded?: (domain: Domain) => void;
}

export default function AddDomainDialog({ isOpen, close, onAdded }: AddDomainDialogProps) {
  const t = useTexts('domains');
  return (
    <Dialog opened={useOpened(isOpen)} onClose={close} title={t('add.title')}>
      {isOpen && <Views close={close} onAdded={onAdded} />}
    </Dialog>
  );
}

function Views({ close, onAdded }: Omit<AddDomainDialogProps, 'isOpen'>) {
  const t = useTexts('domains');
  const userEmail = useSession().user.email;
  const [input, setTyped] = useState<string>();
  const proposedDomain = useProposed(userEmail);
  const domainInput = input ?? proposedDomain;
  const isAdded = useRef(false);
  useUnsaved<string>({
    name: 'domain:new',
    unsaved: input || undefined,
    restore: setTyped,
    discard: () => setTyped(undefined),
    onLeave: {
      getUnsaved: () => (isAdded.current ? undefined : input || undefined),
      save: async () => false,
    },
  });
  const [domain, setDomain] = useState<string>();
  if (domain === undefined) {
    return (
      <DomainView
        typed={domainInput}
        isProposed={input === undefined}
        onType={setTyped}
        onNext={setDomain}
        close={close}
      />
    );
  }
  return (
    <AddressView
      domain={domain}
      localPart={
        readLocalPart(domainInput) ||
        (readDomain(proposeDomain(userEmail)).ascii === domain ? readLocalPart(userEmail) : '')
      }
      onBack={() => setDomain(undefined)}
      onAdded={(newDomain) => {
        isAdded.current = true;
        notice(t('add.done', { email: formatEmail(newDomain) }));
        close();
        onAdded?.(newDomain);
        void invalidate(LIST_PATH);
      }}
    />
  );
}

/**
 * Returns the proposed domain: that of the signed-in user's email address, because users usually
 * send from it. Returns '' if the account already has the domain.
 */
function useProposed(email: string): string {
  const query = { no_paginate: 'true' };
  const existingDomains = useQuery(api.query('GET /client-api/api/domains', { query })).data?.data;
  const domain = proposeDomain(email);
  const { ascii } = readDomain(domain);
  return existingDomains?.some((domain) => domain.domain_name === ascii) === false ? domain : '';
}
