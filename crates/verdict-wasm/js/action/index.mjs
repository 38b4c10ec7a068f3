// What the runner starts, for the step itself and again after the job.
import { relay } from "../library.mjs";
import { EXIT } from "./faults.mjs";
import { main } from "./main.mjs";

// What nobody caught would be printed as it is, and words of strangers may be in it.
for (const event of ["uncaughtException", "unhandledRejection"]) {
  process.on(event, (error) => {
    process.stdout.write("::error title=mcp-verdict::a fault of mcp-verdict itself; please report it with what follows\n");
    process.stdout.write(relay(String(error?.stack ?? error)));
    process.exit(EXIT.internal);
  });
}

process.exitCode = await main(process.env);
