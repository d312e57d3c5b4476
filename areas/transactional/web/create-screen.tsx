// Creates a transactional email from a template, a blank design, custom HTML or plain text. Name,
// subject and sender get defaults, which can be changed in the settings.
import { useNavigate } from '@tanstack/react-router';
import { Suspense } from 'react';
import { invalidate } from '#platform/web/api/queries.ts';
import { showError } from '#platform/web/errors/errors.ts';
import { useIdempotencyKey } from '#platform/web/hooks/use-key-of.ts';
import { useSession } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { LoadingState } from '#platform/web/ui/states.tsx';
import type { EmailDocument } from '../../content/document.ts';
import { OtherStarts, saveDocument, TemplateGallery } from '../../content/web/index.ts';
import {
  api,
  EMAILS,
  editorPath,
  LIST_PATH,
  transactionalPath,
  affectedQueries,
} from './queries.ts';

export default function CreateScreen() {
  const t = useTexts('transactional');
  const navigate = useNavigate();
  const create = useCreate();
  const start = async (document: EmailDocument, source?: { title: string; subject: string }) => {
    const { id, revision } = await create(source);
    await saveDocument({ basePath: LIST_PATH, id }, revision, document);
    await invalidate(...affectedQueries(id));
    await navigate({ to: transactionalPath(id, 'editor') });
  };
  const startOther = async (kind: 'html' | 'text') => {
    const { id } = await create(undefined);
    await invalidate(...affectedQueries(id));
    await navigate({ to: editorPath(id, kind), search: { begin: '1' } });
  };
  return (
    <Page
      title={t('create')}
      description={t('createText')}
      back={{ to: EMAILS, label: t('title') }}
    >
      <Suspense fallback={<LoadingState rows={6} />}>
        <TemplateGallery
          isFooterless
          onChoose={start}
          others={<OtherStarts onOpen={(kind) => void startOther(kind).catch(showError)} />}
        />
      </Suspense>
    </Page>
  );
}

function useCreate() {
  const t = useTexts('transactional');
  const { user, account } = useSession();
  const keyOf = useIdempotencyKey();
  return async (source: { title: string; subject: string } | undefined) => {
    const body = {
      title: source?.title ?? t('untitled'),
      ...(source?.subject && { subject: source.subject }),
      from_name: account.title,
      from_email: user.email,
    };
    const { data } = await api('POST /client-api/api/transactional', {
      body,
      idempotencyKey: keyOf(body),
    });
    return data;
  };
}
