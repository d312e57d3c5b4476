// The tour of the test tools: one stop after another, each with a task in the product and the tool
// that shows its result.
import { Anchor, Button, Group } from '@mantine/core';
import { IconCheck, IconExternalLink } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import type { TestTool } from '#platform/web/session/session.ts';
import { TOOL_ICONS, TOOL_PATHS, useTestTools } from '#platform/web/ui/test-tools.tsx';
import classes from './onboarding.module.css';

const TASKS: Record<TestTool, string> = {
  inbox: '/',
  phone: '/sms/create',
  cards: '/settings/billing/upgrade',
  shop: '/settings/connected-stores',
  hooks: '/settings/webhooks',
};
const VISITED = 'sendloom.test-tools';

export default function TestToolsScreen() {
  const t = useTexts('onboarding');
  const tools = useTestTools();
  return (
    <Page
      title={t('tools.title')}
      description={tools.length > 0 ? t('tools.text') : t('tools.none')}
      width="reading"
    >
      {tools.length > 0 && <Tour tools={tools} />}
    </Page>
  );
}

function Tour({ tools }: { tools: readonly TestTool[] }) {
  const t = useTexts('onboarding');
  const [visited, setVisited] = useState(readVisited);
  const visitedTools = tools.filter((tool) => visited.includes(tool));
  const first = tools.find((tool) => !visited.includes(tool));
  const [selectedTool, choose] = useState<TestTool | undefined>(first);
  const save = (next: readonly TestTool[]) => {
    setVisited(next);
    localStorage.setItem(VISITED, JSON.stringify(next));
  };
  const visit = (tool: TestTool) => save([...new Set([...visited, tool])]);
  return (
    <>
      <p className={classes.progress}>
        <progress
          className={classes.bar}
          max={tools.length}
          value={visitedTools.length}
          aria-hidden="true"
        />
        {t('tools.progress', { done: visitedTools.length, total: tools.length })}
      </p>
      <ol className={classes.steps} aria-label={t('tools.title')}>
        {tools.map((tool, index) => (
          <Stop
            key={tool}
            tool={tool}
            number={index + 1}
            isVisited={visited.includes(tool)}
            isOpen={tool === selectedTool}
            open={() => choose(tool)}
            visit={() => visit(tool)}
            proceed={() => {
              visit(tool);
              choose(tools[index + 1]);
            }}
            isLast={index === tools.length - 1}
          />
        ))}
      </ol>
      {selectedTool === undefined && (
        <div role="status">
          <p className={classes.first}>{t('tools.done')}</p>
          <Button
            variant="default"
            onClick={() => {
              save([]);
              choose(tools[0]);
            }}
          >
            {t('tools.restart')}
          </Button>
        </div>
      )}
    </>
  );
}

interface StopProps {
  tool: TestTool;
  number: number;
  isVisited: boolean;
  isOpen: boolean;
  isLast: boolean;
  open: () => void;
  visit: () => void;
  proceed: () => void;
}

function Stop({ tool, number, isVisited, isOpen, isLast, open, visit, proceed }: StopProps) {
  const t = useTexts('onboarding');
  const formats = useFormats();
  const Icon = TOOL_ICONS[tool];
  return (
    <li
      className={classes.step}
      data-done={isVisited || undefined}
      data-current={isOpen || undefined}
      aria-current={isOpen ? 'step' : undefined}
    >
      <span className={classes.bullet} aria-hidden="true">
        {isVisited ? <IconCheck size={14} stroke={2.25} /> : formats.number(number)}
      </span>
      <div className={classes.stepBody}>
        <h2 className={`${classes.stepName} ${classes.stopName}`}>
          <Icon size={18} stroke={1.75} aria-hidden="true" />
          {isOpen ? (
            t(`platform:tools.${tool}`)
          ) : (
            <Anchor component="button" type="button" inherit onClick={open}>
              {t(`platform:tools.${tool}`)}
            </Anchor>
          )}
        </h2>
        {isOpen && (
          <>
            <p className={classes.stepText}>{t(`tools.stops.${tool}.text`)}</p>
            <p className={classes.stepText}>{t(`tools.stops.${tool}.task`)}</p>
            <Group gap="xs" className={classes.stepAction}>
              <Button
                component="a"
                href={TOOL_PATHS[tool]}
                target="_blank"
                variant="default"
                rightSection={<IconExternalLink size={16} stroke={1.75} aria-hidden="true" />}
                onClick={visit}
              >
                {t(`platform:tools.open_${tool}`)}
              </Button>
              <Button component={Link} to={TASKS[tool]} variant="default">
                {t(`tools.stops.${tool}.try`)}
              </Button>
              <Button onClick={proceed}>{t(isLast ? 'tools.finish' : 'tools.next')}</Button>
            </Group>
          </>
        )}
      </div>
    </li>
  );
}

/** Reads the progress, which is stored in this browser because the tools open in other tabs. */
function readVisited(): readonly TestTool[] {
  try {
    const storedTools: unknown = JSON.parse(localStorage.getItem(VISITED) ?? '[]');
    return Array.isArray(storedTools)
      ? storedTools.filter((tool): tool is TestTool => tool in TASKS)
      : [];
  } catch {
    return [];
  }
}
