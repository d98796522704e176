/** The comm target that outputs of tables ask; see decision 72. Both threads know it: a page asks before cells can run. */
export const tableTarget = "siteframe.table";
