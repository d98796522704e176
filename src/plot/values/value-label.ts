export * from "../../history/order/value-label.js";
