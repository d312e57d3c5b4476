// The door of the demo shop.
export { demoShopRoutes } from './routes.ts';
