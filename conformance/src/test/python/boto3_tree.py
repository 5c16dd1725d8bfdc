"""Carries a tree of files to and from a bucket with boto3's transfer manager.

usage: boto3_tree.py upload BUCKET FOLDER PREFIX | download BUCKET PREFIX FOLDER | copy BUCKET PREFIX PREFIX | delete BUCKET PREFIX

Endpoint and credentials come from the AWS_* environment.
"""

import os
import sys
from concurrent.futures import ThreadPoolExecutor

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.config import Config

THREADS = 8
MIB = 1 << 20
# Low thresholds, so that the larger files go in several parts.
TRANSFER = TransferConfig(multipart_threshold=5 * MIB, multipart_chunksize=5 * MIB, max_concurrency=4)

client = boto3.client("s3", config=Config(max_pool_connections=4 * THREADS, retries={"total_max_attempts": 1}))


def each(action, items):
    with ThreadPoolExecutor(THREADS) as threads:
        for _ in threads.map(action, items):
            pass


def keys(bucket, prefix):
    for page in client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
        for item in page.get("Contents", []):
            yield item["Key"]


def upload(bucket, folder, prefix):
    files = [os.path.join(where, name) for where, _, names in os.walk(folder) for name in names]
    each(lambda file: client.upload_file(file, bucket, prefix + os.path.relpath(file, folder), Config=TRANSFER), files)


def download(bucket, prefix, folder):
    def one(key):
        file = os.path.join(folder, key[len(prefix):])
        os.makedirs(os.path.dirname(file), exist_ok=True)
        client.download_file(bucket, key, file, Config=TRANSFER)

    each(one, list(keys(bucket, prefix)))


def copy(bucket, prefix, target):
    def one(key):
        client.copy({"Bucket": bucket, "Key": key}, bucket, target + key[len(prefix):], Config=TRANSFER)

    each(one, list(keys(bucket, prefix)))


def delete(bucket, prefix):
    for page in client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
        objects = [{"Key": item["Key"]} for item in page.get("Contents", [])]
        answer = client.delete_objects(Bucket=bucket, Delete={"Objects": objects, "Quiet": True})
        assert not answer.get("Errors"), answer["Errors"]


{"upload": upload, "download": download, "copy": copy, "delete": delete}[sys.argv[1]](*sys.argv[2:])
