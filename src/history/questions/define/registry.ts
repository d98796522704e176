// All questions about time, by method name. Add a new question here and in its own file.

export { agingSpecification as aging } from "../aging.js";
export { asOfSpecification as asOf } from "../as-of.js";
export { causeTreesSpecification as causeTrees } from "../cause-trees.js";
export { changesSpecification as changes } from "../changes.js";
export { countsSpecification as counts } from "../counts.js";
export { diffSpecification as diff } from "../diff.js";
export { durationsSpecification as durations } from "../durations.js";
export { editsByUserSpecification as editsByUser } from "../edits-by-user.js";
export { firstReachedSpecification as firstReached } from "../first-reached.js";
export { flowSpecification as flow } from "../flow.js";
export { forecastSpecification as forecast } from "../forecast.js";
export { intervalsSpecification as intervals } from "../intervals.js";
export { joinAsOfSpecification as joinAsOf } from "../join-as-of.js";
export { lateEditsSpecification as lateEdits } from "../late-edits.js";
export { lateEntriesSpecification as lateEntries } from "../late-entries.js";
export { layerAsOfSpecification as layerAsOf } from "../layer-as-of.js";
export { panelSpecification as panel } from "../panel.js";
export { planVarianceSpecification as planVariance } from "../plan-variance.js";
export { progressSpecification as progress } from "../progress.js";
export { reconcileSpecification as reconcile } from "../reconcile.js";
export { statesSpecification as states } from "../states.js";
export { stepsSpecification as steps } from "../steps.js";
export { survivalSpecification as survival } from "../survival.js";
export { totalsSpecification as totals } from "../totals.js";
export { transitionsSpecification as transitions } from "../transitions.js";
export { versionsSpecification as versions } from "../versions.js";
