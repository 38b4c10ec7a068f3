//! Joins the reports of sharded jobs.
