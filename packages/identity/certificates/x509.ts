// The library's dependency injection needs the metadata API before it loads.
import "reflect-metadata";

export * from "@peculiar/x509";
