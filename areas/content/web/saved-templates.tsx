// Saved templates: saves an email as a template and lists saved ones above the built-in ones in the
// gallery.
import { ActionIcon, Text, Tooltip } from '@mantine/core';
import { IconBookmark, IconMessage, IconPencil, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { ItemComments } from '#areas/folders/web/index.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { text, useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';
import { promptInput } from '#platform/web/ui/input-dialog.tsx';
import { RowMenu } from '#platform/web/ui/row-menu.tsx';
import type { SavedTemplate } from '../saved-templates-contract.ts';
import type { EmailDocument } from '../document.ts';
import { MAX_TEMPLATE_TITLE } from '../shared.ts';
import { api } from './queries.ts';
import { LargeTemplate, TemplateCard } from './template-card.tsx';
import classes from './template-gallery.module.css';

const TEMPLATES = '/client-api/api/saved_templates';

/** Button of the editor that saves the current email as a template. */
export function SaveAsTemplate(email: { title: string; document: EmailDocument }) {
  const t = useTexts('content');
  return (
    <Tooltip label={t('ownTemplates.save')}>
      <ActionIcon
        variant="default"
        size="input-sm"
        aria-label={t('ownTemplates.save')}
        onClick={() => void saveAsTemplate(email.title, email.document)}
      >
        <IconBookmark size={18} stroke={1.75} />
      </ActionIcon>
    </Tooltip>
  );
}

/** Opens a dialog for the title and saves the email as a template with that title. */
async function saveAsTemplate(title: string, document: EmailDocument): Promise<void> {
  const newTitle = await promptInput({
    type: 'text',
    title: text('content:ownTemplates.saveTitle'),
    label: text('content:saved.name'),
    value: title.slice(0, MAX_TEMPLATE_TITLE),
    maxLength: MAX_TEMPLATE_TITLE,
    confirm: text('content:saved.save'),
    send: (value) =>
      api('POST /client-api/api/saved_templates', { body: { title: value.trim(), document } }),
  });
  if (typeof newTitle !== 'string') return;
  void invalidate(TEMPLATES);
  toast(text('content:ownTemplates.done', { title: newTitle.trim() }));
}

export interface OwnTemplatesProps {
  isBusy: boolean;
  onStart: (make: () => Promise<EmailDocument>) => Promise<void>;
}

/** Renders nothing without saved templates. */
export function SavedTemplateList({ isBusy, onStart: start }: OwnTemplatesProps) {
  const t = useTexts('content');
  const savedTemplates = useQuery(api.query('GET /client-api/api/saved_templates'));
  const [shown, setShown] = useState<SavedTemplate>();
  const list = savedTemplates.data?.data ?? [];
  if (list.length === 0) return null;
  const chooseTemplate = (id: string) =>
    start(async () => {
      const { data } = await api('GET /client-api/api/saved_templates/{id}', { params: { id } });
      return data.document;
    });
  return (
    <section aria-label={t('ownTemplates.title')}>
      <Text component="h2" size="lg" fw={600} mt="xl" mb="sm">
        {t('ownTemplates.title')}
      </Text>
      <ul className={classes.grid}>
        {list.map((template) => (
          <TemplateCard
            key={template.id}
            template={template}
            onOpen={() => setShown(template)}
            tools={<Tools template={template} />}
          />
        ))}
      </ul>
      {shown && (
        <LargeTemplate
          template={shown}
          isBusy={isBusy}
          close={() => setShown(undefined)}
          onUse={() => void chooseTemplate(shown.id)}
        />
      )}
    </section>
  );
}

function Tools({ template: { id, title } }: { template: SavedTemplate }) {
  const t = useTexts('content');
  const rename = async () => {
    const newTitle = await promptInput({
      type: 'text',
      title: t('ownTemplates.renameTitle'),
      label: t('saved.name'),
      value: title,
      maxLength: MAX_TEMPLATE_TITLE,
      confirm: t('saved.save'),
      send: (value) =>
        api('PATCH /client-api/api/saved_templates/{id}', {
          params: { id },
          body: { title: value.trim() },
        }),
    });
    if (typeof newTitle === 'string') void invalidate(TEMPLATES);
  };
  const remove = () =>
    confirm({
      title: t('ownTemplates.deleteTitle'),
      message: t('ownTemplates.deleteMessage', { title }),
      confirm: t('tools.delete'),
      isDanger: true,
      run: async () => {
        await api('DELETE /client-api/api/saved_templates/{id}', { params: { id } });
        void invalidate(TEMPLATES);
      },
    });
  const [isCommenting, setCommenting] = useState(false);
  return (
    <>
      <RowMenu
        name={title}
        row={undefined}
        actions={[
          {
            label: t('templates.comments'),
            icon: <IconMessage size={18} stroke={1.75} />,
            run: () => setCommenting(true),
          },
          {
            label: t('ownTemplates.rename'),
            icon: <IconPencil size={18} stroke={1.75} />,
            run: () => void rename(),
          },
          {
            label: t('tools.delete'),
            icon: <IconTrash size={18} stroke={1.75} />,
            isDanger: true,
            run: () => void remove(),
          },
        ]}
      />
      <CommentsDialog id={id} isOpen={isCommenting} close={() => setCommenting(false)} />
    </>
  );
}

interface CommentsProps {
  id: string;
  isOpen: boolean;
  close: () => void;
}

function CommentsDialog({ id, isOpen, close }: CommentsProps) {
  const t = useTexts('content');
  return (
    <Dialog opened={isOpen} onClose={close} title={t('templates.comments')}>
      {isOpen && (
        <Suspense>
          <ItemComments base={TEMPLATES} id={id} hasHeading={false} />
        </Suspense>
      )}
    </Dialog>
  );
}
