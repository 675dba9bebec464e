import type { Hono } from "hono";
import { ServiceError } from "../domain/errors.ts";
import type { AppEnv } from "../http/app-env.ts";
import { operatorOnly } from "../http/operator.ts";
import { readOverview } from "../overview.ts";
import { OperatorFrame, OperatorView } from "./operator.tsx";
import { page, scriptOf } from "./routes.ts";

const PATH = "/operator";

/**
 * Serves the operator's page. The page itself says nothing of the service: its script asks for the view with the token
 * that was entered. Without a token in the settings there is no such page.
 */
export const serveOperatorPage = (app: Hono<AppEnv>): void => {
  app.get(PATH, (c) =>
    page(c, async (setting) => {
      if (c.get("context").settings.ADMIN_TOKEN === undefined) {
        throw new ServiceError("not_found", "Nothing exists at this address.");
      }
      return OperatorFrame({ setting, script: scriptOf("operator") });
    }),
  );
  app.get(`${PATH}/view`, operatorOnly, async (c) => {
    const view = await OperatorView(await readOverview(c.get("context"))).toString();
    return c.html(view);
  });
};
