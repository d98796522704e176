"""Serves S3 on this machine until its input ends: a bucket that only its owner's signed requests reach.

Prints one line of JSON: {"url", "accessKeyId", "secretAccessKey"}.
"""

import json
import logging
import sys
import urllib.request

import boto3
from moto.server import ThreadedMotoServer

logging.getLogger("werkzeug").setLevel(logging.ERROR)
REGION = "eu-central-1"
[bucket] = sys.argv[1:]
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
url = f"http://{host}:{port}"


def client(service):
    return boto3.client(
        service, endpoint_url=url, region_name=REGION, aws_access_key_id="setup", aws_secret_access_key="setup"
    )


client("s3").create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": REGION})
iam = client("iam")
iam.create_user(UserName="owner")
statement = {"Effect": "Allow", "Action": "s3:*", "Resource": [f"arn:aws:s3:::{bucket}", f"arn:aws:s3:::{bucket}/*"]}
policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
iam.put_user_policy(UserName="owner", PolicyName="bucket", PolicyDocument=policy)
key = iam.create_access_key(UserName="owner")["AccessKey"]
# From here on every request is checked: who signed it, with which secret, and what that user may do.
checked = urllib.request.Request(f"{url}/moto-api/reset-auth", b"0", {"Content-Type": "text/plain"}, method="POST")
urllib.request.urlopen(checked).close()
print(json.dumps({"url": url, "accessKeyId": key["AccessKeyId"], "secretAccessKey": key["SecretAccessKey"]}), flush=True)
sys.stdin.read()
server.stop()
