export * from "../../history/order/chart-date.js";
