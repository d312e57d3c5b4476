// All tools in listing order.
import { accountTools } from './account.ts';
import { campaignTools } from './campaigns.ts';
import { peopleTools } from './people.ts';
import { proposalTools } from './proposals.ts';
import type { Tool } from './tool.ts';
import { workflowTools } from './workflows.ts';

export const TOOLS: readonly Tool[] = [
  ...accountTools,
  ...peopleTools,
  ...campaignTools,
  ...workflowTools,
  ...proposalTools,
];
