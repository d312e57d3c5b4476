// The settings tab: layout and language, groups, the redirect and confirmation after a sign-up,
// safety, and the form's messages.
import { Accordion, Button, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { queryAllGroups, createGroup } from '#areas/groups/web/index.ts';
import { FORM_LANGUAGES, LAYOUTS, type FormLayout } from '#embed/forms/shared/document.ts';
import { TEXT_KEYS } from '#embed/forms/shared/text-keys.ts';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { FieldPart } from '#platform/web/editing/field-parts.tsx';
import { LineRow, SwitchRow } from '#platform/web/editing/fields.tsx';
import { useSession } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SearchableMultiSelect } from '#platform/web/ui/searchable-select.tsx';
import { FailedState } from '#platform/web/ui/states.tsx';
import { hasConsent, setConsent } from '../../consent.ts';
import { defaultTexts } from '../../default-texts.ts';
import { replaceSuccessTexts } from '../../success-texts.ts';
import { WORDS } from '../../validation-messages.ts';
import { createBlockId } from './draft.ts';
import { useBuilder, useDraft } from './store.ts';

export default function SettingsTab() {
  const t = useTexts('forms-builder');
  const { editSettings } = useBuilder();
  const { settings } = useDraft();
  return (
    <>
      <FieldPart title={t('settings.form')}>
        <LayoutChoice />
        <LanguageChoice />
      </FieldPart>
      <FieldPart title={t('settings.groups')}>
        <Groups />
      </FieldPart>
      <FieldPart title={t('settings.after')}>
        <SwitchRow
          label={t('settings.redirect')}
          value={settings.redirect_after}
          onChange={(redirect_after) => editSettings({ redirect_after })}
        />
        {settings.redirect_after && (
          <LineRow
            label={t('settings.redirectTo')}
            value={settings.redirect_url}
            isAddressed
            onChange={(redirect_url) => {
              // Only web addresses are allowed as a redirect.
              if (redirect_url === '' || /^https?:\/\/[^\s"'<>]+$/i.test(redirect_url)) {
                editSettings({ redirect_url }, 'redirect');
              }
            }}
          />
        )}
        <DoubleOptIn />
      </FieldPart>
      <FieldPart title={t('settings.safety')}>
        <SwitchRow
          label={t('settings.captcha')}
          value={settings.use_recaptcha}
          onChange={(use_recaptcha) => editSettings({ use_recaptcha })}
        />
        <Text size="xs" c="dimmed">
          {t('settings.captchaHint')}
        </Text>
        <Gdpr />
      </FieldPart>
      <Messages />
    </>
  );
}

function LayoutChoice() {
  const t = useTexts('forms-builder');
  const { type, editDocument } = useBuilder();
  const { document } = useDraft();
  const layouts: readonly FormLayout[] = LAYOUTS[type];
  return (
    <Select
      size="xs"
      label={t('settings.layout')}
      allowDeselect={false}
      value={document.layout}
      data={layouts.map((value) => ({ value, label: t(`layouts.${value}`) }))}
      onChange={(next) => {
        const layout = layouts.find((layout) => layout === next);
        if (!layout) return;
        editDocument((now) => ({
          ...now,
          layout,
          picture: layout.startsWith('picture')
            ? (now.picture ?? { url: '', alt: '' })
            : now.picture,
          steps:
            layout === 'two-steps' && now.steps.length === 1
              ? [...now.steps, secondStep(defaultTexts(now.language).button)]
              : now.steps,
        }));
      }}
    />
  );
}

const secondStep = (text: string) => ({
  id: createBlockId(),
  blocks: [{ id: createBlockId(), kind: 'button' as const, text }],
});

function LanguageChoice() {
  const t = useTexts('forms-builder');
  const { editDocument } = useBuilder();
  const { language } = useDraft().document;
  return (
    <Select
      size="xs"
      label={t('settings.language')}
      description={t('settings.languageHint')}
      allowDeselect={false}
      value={language}
      data={FORM_LANGUAGES.map((value) => ({ value, label: t(`languages.${value}`) }))}
      onChange={(next) => {
        const nextLanguage = FORM_LANGUAGES.find((formLanguage) => formLanguage === next);
        if (nextLanguage) editDocument((now) => ({ ...now, language: nextLanguage }));
      }}
    />
  );
}

/**
 * The form's groups. Everyone who signs up joins the groups that are switched on. Visitors choose
 * among the others if the form has a block for them, and otherwise join all.
 */
function Groups() {
  const t = useTexts('forms-builder');
  const { edit } = useBuilder();
  const { groups, document } = useDraft();
  const groupsQuery = useQuery(queryAllGroups());
  if (groupsQuery.isError && !groupsQuery.data)
    return <FailedState error={groupsQuery.error} retry={groupsQuery.refetch} />;
  const availableGroups = groupsQuery.data?.data ?? groups;
  const hasInterests = document.steps.some(({ blocks }) =>
    blocks.some(({ kind }) => kind === 'interests'),
  );
  return (
    <>
      <SearchableMultiSelect
        size="xs"
        wrapperProps={{ 'data-field': 'groups' }}
        onCreate={createGroup}
        label={t('settings.groupsLabel')}
        placeholder={groups.length === 0 ? t('settings.groupsPlaceholder') : undefined}
        description={t('settings.groupsHint')}
        maxValues={100}
        value={groups.map(({ id }) => id)}
        data={availableGroups.map(({ id, title }) => ({ value: id, label: title }))}
        onChange={(ids) =>
          edit((draft) => ({
            ...draft,
            groups: ids.map(
              (id) =>
                draft.groups.find((group) => group.id === id) ?? {
                  id,
                  title: availableGroups.find((group) => group.id === id)?.title ?? '',
                  isMandatory: true,
                },
            ),
          }))
        }
      />
      {groups.map((group) => (
        <Mandatory
          key={group.id}
          group={group}
          title={availableGroups.find(({ id }) => id === group.id)?.title ?? group.title}
        />
      ))}
      {groups.some(({ isMandatory }) => !isMandatory) && !hasInterests && (
        <Text size="xs" c="dimmed">
          {t('settings.noInterests')}
        </Text>
      )}
    </>
  );
}

interface MandatoryProps {
  group: ReturnType<typeof useDraft>['groups'][number];
  /** The current title, shown instead of the stored one because the group may have been renamed. */
  title: string;
}

function Mandatory({ group: { id, isMandatory }, title }: MandatoryProps) {
  const t = useTexts('forms-builder');
  const { edit } = useBuilder();
  return (
    <SwitchRow
      label={t('settings.mandatory', { title })}
      value={isMandatory}
      onChange={(is) =>
        edit((draft) => ({
          ...draft,
          groups: draft.groups.map((group) =>
            group.id === id ? { ...group, isMandatory: is } : group,
          ),
        }))
      }
    />
  );
}

function DoubleOptIn() {
  const t = useTexts('forms-builder');
  const { editSettings } = useBuilder();
  const { settings } = useDraft();
  const { double_opt_in, confirmation } = settings;
  const editConfirmation = (change: Partial<typeof confirmation>, name: string) =>
    editSettings({ confirmation: { ...confirmation, ...change } }, name);
  const toggleDoubleOptIn = useConfirmationSwitch();
  return (
    <>
      <SwitchRow
        label={t('settings.doubleOptIn')}
        value={double_opt_in}
        onChange={toggleDoubleOptIn}
      />
      {double_opt_in && (
        <>
          <Text size="xs" c="dimmed">
            {t('settings.doubleOptInHint')}
          </Text>
          <div data-field="from_email">
            <LineRow
              label={t('settings.fromEmail')}
              value={toUnicodeDomain(confirmation.from_email)}
              onChange={(text) => {
                if (text === '' || /^[^\s@]+@[^\s@][^\s@.]*\.[^\s@]+$/.test(text)) {
                  editConfirmation({ from_email: text.slice(0, 254) }, 'from_email');
                }
              }}
            />
          </div>
          <LineRow
            label={t('settings.fromName')}
            value={confirmation.from_name}
            onChange={(text) => editConfirmation({ from_name: text.slice(0, 64) }, 'from_name')}
          />
          <LineRow
            label={t('settings.subject')}
            value={confirmation.subject}
            onChange={(text) => editConfirmation({ subject: text.slice(0, 255) }, 'subject')}
          />
          <SwitchRow
            label={t('settings.byButton')}
            value={settings.confirm_by_button}
            onChange={(confirm_by_button) => editSettings({ confirm_by_button })}
          />
        </>
      )}
    </>
  );
}

/** Turns the confirmation on or off; by default it is sent from the user's address. */
function useConfirmationSwitch() {
  const { edit } = useBuilder();
  const { account, user } = useSession();
  const { settings, document } = useDraft();
  const { confirmation } = settings;
  return (isOn: boolean) => {
    const { from_email, from_name, subject } = confirmation;
    const confirmationWithDefaults = {
      ...confirmation,
      from_email: from_email || user.email,
      from_name: from_name || account.title.slice(0, 64),
      subject: subject || defaultTexts(document.language).confirmSubject,
    };
    edit((draft) => ({
      ...draft,
      document: replaceSuccessTexts(draft.document, isOn),
      settings: {
        ...draft.settings,
        double_opt_in: isOn,
        ...(isOn ? { confirmation: confirmationWithDefaults } : {}),
      },
    }));
  };
}

/** The switch that adds a consent checkbox to the form or removes it. */
function Gdpr() {
  const t = useTexts('forms-builder');
  const { edit } = useBuilder();
  const { document } = useDraft();
  const toggleConsent = (isOn: boolean) =>
    edit((draft) => ({
      ...draft,
      document: setConsent(draft.document, isOn, createBlockId()),
      settings: { ...draft.settings, show_gdpr: isOn },
    }));
  return (
    <>
      <SwitchRow
        label={t('settings.gdpr')}
        value={hasConsent(document, 'email')}
        onChange={toggleConsent}
      />
      <Text size="xs" c="dimmed">
        {t('settings.gdprHint')}
      </Text>
    </>
  );
}

/** The form's messages. An empty one uses the default of the form's language. */
function Messages() {
  const t = useTexts('forms-builder');
  const { editSettings } = useBuilder();
  const { settings, document } = useDraft();
  const messages = settings.validation_messages;
  const editMessage = (key: (typeof TEXT_KEYS)[number], text: string) => {
    const { [key]: _, ...others } = messages;
    const isUsual = text.trim() === '' || text === WORDS[document.language][key];
    editSettings(
      { validation_messages: isUsual ? others : { ...others, [key]: text.slice(0, 255) } },
      `message ${key}`,
    );
  };
  return (
    <Accordion variant="default" mt="md">
      <Accordion.Item value="messages">
        <Accordion.Control>{t('messages.title')}</Accordion.Control>
        <Accordion.Panel>
          <FieldPart>
            <Text size="xs" c="dimmed">
              {t('messages.hint')}
            </Text>
            {Object.keys(messages).length > 0 && (
              <Button
                size="xs"
                variant="default"
                onClick={() => editSettings({ validation_messages: {} })}
              >
                {t('messages.reset')}
              </Button>
            )}
            {TEXT_KEYS.map((key) => (
              <LineRow
                key={key}
                label={t(`messages.of.${key}`)}
                placeholder={WORDS[document.language][key]}
                value={messages[key] ?? ''}
                onChange={(text) => editMessage(key, text)}
              />
            ))}
          </FieldPart>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
